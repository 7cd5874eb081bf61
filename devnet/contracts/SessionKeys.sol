// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @title SessionKeys: which other keys may sign for an identity, for which operation, and until when.
contract SessionKeys {
    mapping(address identity => mapping(address signer => mapping(bytes32 permission => uint256 expiry))) public
        authorizationExpiry;

    event AuthorizationsUpdated(
        address indexed identity, address signer, uint256 expiry, bytes32[] permissions, string origin
    );

    function login(address signer, uint256 expiry, bytes32[] calldata permissions, string calldata origin) external {
        _set(signer, expiry, permissions, origin);
    }

    function revoke(address signer, bytes32[] calldata permissions, string calldata origin) external {
        _set(signer, 0, permissions, origin);
    }

    function _set(address signer, uint256 expiry, bytes32[] calldata permissions, string calldata origin) private {
        for (uint256 i = 0; i < permissions.length; i++) {
            authorizationExpiry[msg.sender][signer][permissions[i]] = expiry;
        }
        emit AuthorizationsUpdated(msg.sender, signer, expiry, permissions, origin);
    }
}
