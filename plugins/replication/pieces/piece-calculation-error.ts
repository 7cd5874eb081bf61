// Errors of computing a piece CID from a file.

export type PieceCalculationErrorCode =
  /** There is no file at the path. */
  | 'piece_source_missing'
  /** The file ends before the requested range. */
  | 'piece_source_short'
  /** The file exists but cannot be read. */
  | 'piece_source_unreadable'
  /** A hashing thread ended before it answered; a retry starts another one. */
  | 'piece_worker_crashed'
  /** More calculations than allowed are waiting; retry later. */
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
