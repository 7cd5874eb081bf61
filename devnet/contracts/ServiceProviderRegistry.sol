// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title ServiceProviderRegistry: providers, their payees and the capabilities of their PDP product.
/// @dev Removal is soft: ids stay taken and `isActive` turns false.
contract ServiceProviderRegistry {
    enum ProductType {
        PDP
    }

    struct ServiceProviderInfo {
        address serviceProvider;
        address payee;
        string name;
        string description;
        bool isActive;
    }

    struct ServiceProviderInfoView {
        uint256 providerId;
        ServiceProviderInfo info;
    }

    struct ServiceProduct {
        ProductType productType;
        string[] capabilityKeys;
        bool isActive;
    }

    struct ProviderWithProduct {
        uint256 providerId;
        ServiceProviderInfo providerInfo;
        ServiceProduct product;
        bytes[] productCapabilityValues;
    }

    struct PaginatedProviders {
        ProviderWithProduct[] providers;
        bool hasMore;
    }

    string public constant VERSION = "1.1.0";
    uint256 public constant REGISTRATION_FEE = 5 ether;
    uint256 public constant MAX_CAPABILITIES = 24;
    uint256 public constant MAX_CAPABILITY_KEY_LENGTH = 32;
    uint256 public constant MAX_CAPABILITY_VALUE_LENGTH = 128;
    uint256 private constant MAX_NAME_LENGTH = 128;
    uint256 private constant MAX_DESCRIPTION_LENGTH = 256;

    address public immutable owner = msg.sender;
    uint256 private numProviders;
    uint256 public activeProviderCount;
    mapping(uint256 providerId => ServiceProviderInfo) public providers;
    mapping(address serviceProvider => uint256 providerId) public addressToProviderId;
    mapping(uint256 providerId => ServiceProduct) private products;
    mapping(uint256 providerId => mapping(string key => bytes value)) private capabilities;

    event ProviderRegistered(uint256 indexed providerId, address indexed serviceProvider, address indexed payee);
    event ProviderInfoUpdated(uint256 indexed providerId);
    event ProviderRemoved(uint256 indexed providerId);
    event ProductAdded(
        uint256 indexed providerId,
        ProductType indexed productType,
        address serviceProvider,
        string[] capabilityKeys,
        bytes[] capabilityValues
    );
    event ProductUpdated(
        uint256 indexed providerId,
        ProductType indexed productType,
        address serviceProvider,
        string[] capabilityKeys,
        bytes[] capabilityValues
    );
    event ProductRemoved(uint256 indexed providerId, ProductType indexed productType);

    modifier providerExists(uint256 providerId) {
        require(providerId > 0 && providerId <= numProviders, "Provider does not exist");
        require(providers[providerId].serviceProvider != address(0), "Provider not found");
        _;
    }

    // Writes, each by the provider about itself.

    function registerProvider(
        address payee,
        string calldata name,
        string calldata description,
        ProductType productType,
        string[] calldata capabilityKeys,
        bytes[] calldata capabilityValues
    ) external payable returns (uint256 providerId) {
        require(payee != address(0), "Payee cannot be zero address");
        require(addressToProviderId[msg.sender] == 0, "Address already registered");
        require(msg.value == REGISTRATION_FEE, "Incorrect fee amount");
        _checkInfo(name, description);

        providerId = ++numProviders;
        activeProviderCount++;
        providers[providerId] = ServiceProviderInfo(msg.sender, payee, name, description, true);
        addressToProviderId[msg.sender] = providerId;
        emit ProviderRegistered(providerId, msg.sender, payee);

        _storeProduct(providerId, productType, capabilityKeys, capabilityValues);
        emit ProductAdded(providerId, productType, msg.sender, capabilityKeys, capabilityValues);
    }

    function addProduct(ProductType productType, string[] calldata capabilityKeys, bytes[] calldata capabilityValues)
        external
    {
        uint256 providerId = _callerId();
        require(!products[providerId].isActive, "Product already exists for this provider");
        _storeProduct(providerId, productType, capabilityKeys, capabilityValues);
        emit ProductAdded(providerId, productType, msg.sender, capabilityKeys, capabilityValues);
    }

    function updateProduct(ProductType productType, string[] calldata capabilityKeys, bytes[] calldata capabilityValues)
        external
    {
        uint256 providerId = _callerId();
        require(products[providerId].isActive, "Product does not exist for this provider");
        _storeProduct(providerId, productType, capabilityKeys, capabilityValues);
        emit ProductUpdated(providerId, productType, msg.sender, capabilityKeys, capabilityValues);
    }

    function removeProduct(ProductType productType) external {
        uint256 providerId = _callerId();
        require(products[providerId].isActive, "Product does not exist for this provider");
        _deleteProduct(providerId);
        emit ProductRemoved(providerId, productType);
    }

    function updateProviderInfo(string calldata name, string calldata description) external {
        uint256 providerId = _callerId();
        _checkInfo(name, description);
        providers[providerId].name = name;
        providers[providerId].description = description;
        emit ProviderInfoUpdated(providerId);
    }

    function removeProvider() external {
        uint256 providerId = _callerId();
        providers[providerId].isActive = false;
        activeProviderCount--;
        if (products[providerId].isActive) {
            _deleteProduct(providerId);
            emit ProductRemoved(providerId, ProductType.PDP);
        }
        delete addressToProviderId[msg.sender];
        emit ProviderRemoved(providerId);
    }

    // Reads.

    function getProvider(uint256 providerId)
        external
        view
        providerExists(providerId)
        returns (ServiceProviderInfoView memory info)
    {
        return ServiceProviderInfoView(providerId, providers[providerId]);
    }

    function getProviderByAddress(address serviceProvider) external view returns (ServiceProviderInfoView memory info) {
        uint256 providerId = addressToProviderId[serviceProvider];
        return ServiceProviderInfoView(providerId, providers[providerId]);
    }

    function getProviderIdByAddress(address serviceProvider) external view returns (uint256) {
        return addressToProviderId[serviceProvider];
    }

    function getProviderPayee(uint256 providerId) external view providerExists(providerId) returns (address payee) {
        return providers[providerId].payee;
    }

    function getProviderWithProduct(uint256 providerId, ProductType)
        external
        view
        providerExists(providerId)
        returns (ProviderWithProduct memory)
    {
        return _withProduct(providerId);
    }

    function getProvidersByProductType(ProductType, bool onlyActive, uint256 offset, uint256 limit)
        external
        view
        returns (PaginatedProviders memory result)
    {
        uint256 total;
        for (uint256 id = 1; id <= numProviders; id++) {
            if (_isListed(id, onlyActive)) total++;
        }
        if (offset >= total || limit == 0) return result;
        uint256 size = offset + limit > total ? total - offset : limit;
        result.providers = new ProviderWithProduct[](size);
        result.hasMore = offset + size < total;
        uint256 seen;
        for (uint256 id = 1; id <= numProviders && seen < offset + size; id++) {
            if (!_isListed(id, onlyActive)) continue;
            if (seen >= offset) result.providers[seen - offset] = _withProduct(id);
            seen++;
        }
    }

    function getProvidersByIds(uint256[] calldata providerIds)
        external
        view
        returns (ServiceProviderInfoView[] memory providerInfos, bool[] memory validIds)
    {
        providerInfos = new ServiceProviderInfoView[](providerIds.length);
        validIds = new bool[](providerIds.length);
        for (uint256 i = 0; i < providerIds.length; i++) {
            uint256 id = providerIds[i];
            validIds[i] = providers[id].serviceProvider != address(0);
            if (validIds[i]) providerInfos[i] = ServiceProviderInfoView(id, providers[id]);
        }
    }

    function getAllActiveProviders(uint256 offset, uint256 limit)
        external
        view
        returns (uint256[] memory providerIds, bool hasMore)
    {
        if (offset >= activeProviderCount || limit == 0) return (new uint256[](0), false);
        uint256 size = offset + limit > activeProviderCount ? activeProviderCount - offset : limit;
        providerIds = new uint256[](size);
        hasMore = offset + size < activeProviderCount;
        uint256 seen;
        for (uint256 id = 1; id <= numProviders && seen < offset + size; id++) {
            if (!providers[id].isActive) continue;
            if (seen >= offset) providerIds[seen - offset] = id;
            seen++;
        }
    }

    function getAllProductCapabilities(uint256 providerId, ProductType)
        external
        view
        providerExists(providerId)
        returns (bool isActive, string[] memory keys, bytes[] memory values)
    {
        return (products[providerId].isActive, products[providerId].capabilityKeys, _values(providerId));
    }

    function providerHasProduct(uint256 providerId, ProductType)
        external
        view
        providerExists(providerId)
        returns (bool)
    {
        return products[providerId].isActive;
    }

    function getProviderCount() external view returns (uint256) {
        return numProviders;
    }

    function getNextProviderId() external view returns (uint256) {
        return numProviders + 1;
    }

    function isProviderActive(uint256 providerId) external view providerExists(providerId) returns (bool) {
        return providers[providerId].isActive;
    }

    function isRegisteredProvider(address serviceProvider) external view returns (bool) {
        uint256 providerId = addressToProviderId[serviceProvider];
        return providerId != 0 && providers[providerId].isActive;
    }

    // Inside.

    function _callerId() private view returns (uint256 providerId) {
        providerId = addressToProviderId[msg.sender];
        require(providerId != 0, "Provider not registered");
    }

    function _checkInfo(string calldata name, string calldata description) private pure {
        require(bytes(name).length <= MAX_NAME_LENGTH, "Name too long");
        require(bytes(description).length <= MAX_DESCRIPTION_LENGTH, "Description too long");
    }

    function _storeProduct(
        uint256 providerId,
        ProductType productType,
        string[] calldata keys,
        bytes[] calldata values
    ) private {
        require(keys.length == values.length, "Keys and values arrays must have same length");
        require(keys.length <= MAX_CAPABILITIES, "Too many capabilities");
        _deleteProduct(providerId);
        ServiceProduct storage product = products[providerId];
        product.productType = productType;
        product.isActive = true;
        for (uint256 i = 0; i < keys.length; i++) {
            require(bytes(keys[i]).length > 0, "Capability key cannot be empty");
            require(bytes(keys[i]).length <= MAX_CAPABILITY_KEY_LENGTH, "Capability key too long");
            require(values[i].length > 0, "Capability value cannot be empty");
            require(values[i].length <= MAX_CAPABILITY_VALUE_LENGTH, "Capability value too long");
            product.capabilityKeys.push(keys[i]);
            capabilities[providerId][keys[i]] = values[i];
        }
    }

    function _deleteProduct(uint256 providerId) private {
        string[] storage keys = products[providerId].capabilityKeys;
        for (uint256 i = 0; i < keys.length; i++) {
            delete capabilities[providerId][keys[i]];
        }
        delete products[providerId];
    }

    function _isListed(uint256 providerId, bool onlyActive) private view returns (bool) {
        return products[providerId].isActive && (!onlyActive || providers[providerId].isActive);
    }

    function _values(uint256 providerId) private view returns (bytes[] memory values) {
        string[] storage keys = products[providerId].capabilityKeys;
        values = new bytes[](keys.length);
        for (uint256 i = 0; i < keys.length; i++) {
            values[i] = capabilities[providerId][keys[i]];
        }
    }

    function _withProduct(uint256 providerId) private view returns (ProviderWithProduct memory) {
        return ProviderWithProduct(providerId, providers[providerId], products[providerId], _values(providerId));
    }
}
