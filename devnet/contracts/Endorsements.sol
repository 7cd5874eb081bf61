// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title Endorsements: the set of provider ids that clients prefer for their first copy.
contract Endorsements {
    error OwnableUnauthorizedAccount(address account);
    error ProviderIdNotFound(uint256 providerId);

    address public immutable owner = msg.sender;
    uint256[] private ids;

    modifier onlyOwner() {
        require(msg.sender == owner, OwnableUnauthorizedAccount(msg.sender));
        _;
    }

    function addProviderId(uint256 providerId) external onlyOwner {
        if (!containsProviderId(providerId)) ids.push(providerId);
    }

    function removeProviderId(uint256 providerId) external onlyOwner {
        for (uint256 i = 0; i < ids.length; i++) {
            if (ids[i] == providerId) {
                ids[i] = ids[ids.length - 1];
                ids.pop();
                return;
            }
        }
        revert ProviderIdNotFound(providerId);
    }

    function getProviderIds() external view returns (uint256[] memory) {
        return ids;
    }

    function containsProviderId(uint256 providerId) public view returns (bool) {
        for (uint256 i = 0; i < ids.length; i++) {
            if (ids[i] == providerId) return true;
        }
        return false;
    }
}
