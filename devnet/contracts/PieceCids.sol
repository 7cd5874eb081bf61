// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// @notice A binary PieceCIDv2: 01 55 91 20 <length> <varint padding> <height> <32-byte root> (FRC-0069).
struct Cid {
    bytes data;
}

/// @notice A Cid in two words: the bytes before the root, right-aligned, and the root.
struct PackedCid {
    bytes32 header;
    bytes32 root;
}

/// @title PieceCids: takes PieceCIDv2 bytes apart and counts the leaves that hold data.
library PieceCids {
    bytes4 private constant PREFIX = hex"01559120";
    uint256 private constant ROOT_BYTES = 32;

    error CidTooShort();
    error InvalidCommPv2Prefix();
    error InvalidCommPv2MultihashLength();
    error InvalidCommPv2DigestLength();
    error UnterminatedUvarint();

    function parse(Cid calldata cid) internal pure returns (uint256 padding, uint8 height) {
        bytes calldata data = cid.data;
        require(data.length >= 4, CidTooShort());
        require(bytes4(data[0:4]) == PREFIX, InvalidCommPv2Prefix());
        (uint256 digestLength, uint256 offset) = _readUvarint(data, 4);
        require(digestLength == data.length - offset, InvalidCommPv2MultihashLength());
        (padding, offset) = _readUvarint(data, offset);
        require(offset + 1 + ROOT_BYTES == data.length, InvalidCommPv2DigestLength());
        height = uint8(data[offset]);
    }

    /// @dev Of a CID that `parse` accepts.
    function pack(Cid calldata cid) internal pure returns (PackedCid memory) {
        uint256 split = cid.data.length - ROOT_BYTES;
        bytes32 header = bytes32(cid.data[:split]) >> (8 * (32 - split));
        return PackedCid(header, bytes32(cid.data[split:]));
    }

    /// @notice Padding as large as the tree would leave no leaf with data.
    function isPaddingExcessive(uint256 padding, uint8 height) internal pure returns (bool) {
        return (128 * padding) / 127 >= 1 << (uint256(height) + 5);
    }

    function leafCount(uint256 padding, uint8 height) internal pure returns (uint256) {
        return (1 << uint256(height)) - (((128 * padding) / 127) >> 5);
    }

    /// @notice Raw bytes behind a number of leaves, at most 31 bytes too many a piece.
    function leafCountToRawSize(uint256 leaves) internal pure returns (uint256) {
        return (leaves * 32 * 127) / 128;
    }

    function _readUvarint(bytes calldata data, uint256 start) private pure returns (uint256 value, uint256 offset) {
        uint256 shift;
        offset = start;
        while (true) {
            require(offset < data.length, UnterminatedUvarint());
            uint8 current = uint8(data[offset++]);
            value |= uint256(current & 0x7f) << shift;
            if (current < 0x80) return (value, offset);
            shift += 7;
        }
    }
}
