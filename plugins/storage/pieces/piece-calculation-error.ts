// Why a piece CID could not be computed from a file.

export type PieceCalculationErrorCode =
  /** There is no file at the path. */
  | 'piece_source_missing'
  /** The file ends before the asked range does. */
  | 'piece_source_short'
  /** The file is there but cannot be read. */
  | 'piece_source_unreadable'
  /** A hashing thread ended before it answered; asking again starts another one. */
  | 'piece_worker_crashed'
  /** Too many calculations wait already; ask again later. */
  | 'piece_queue_full'
  /** The calculator has been disposed. */
  | 'piece_calculator_closed'

export class PieceCalculationError extends Error {
  override readonly name = 'PieceCalculationError'
  readonly code: PieceCalculationErrorCode

  constructor(message: string, options: ErrorOptions & { readonly code: PieceCalculationErrorCode }) {
    super(message, options)
    this.code = options.code
  }
}
