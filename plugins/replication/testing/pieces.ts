/** Piece CIDs as the gateway computes them, for tests and measurements. */
export { fallbackNodeHasher, type NodeHasher, nodeHasherChoice } from '../pieces/node-hasher.ts'
export { createPieceCalculator, type PieceCalculator } from '../pieces/piece-calculator.ts'
export { pieceCidOf } from '../pieces/piece-cid.ts'
export { createPieceHasher } from '../pieces/piece-hasher.ts'
