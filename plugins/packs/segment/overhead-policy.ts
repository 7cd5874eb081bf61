/** What a segment adds to each member, roughly: a head of 40 bytes, and an entry of the index that is mostly the SHA-256 and the key. */
export const memberOverheadBytes = 552
