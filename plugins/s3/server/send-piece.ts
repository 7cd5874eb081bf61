import type { ServerResponse } from 'node:http'

/**
 * Resolves when the socket has taken all bytes, and no longer needs their memory. Throws when the connection is closed, also because the
 * client reads nothing: then it cannot send other bytes that are put into the same memory.
 */
export async function sendPiece(response: ServerResponse, piece: Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onClose = () => reject(new Error('the connection was closed before the client read the whole response'))
  response.once('close', onClose)
  try {
    if (response.destroyed) onClose()
    // A failed write closes the connection, whose event follows.
    else response.write(piece, (error) => (error ? response.destroy() : resolve()))
    await promise
  } finally {
    response.off('close', onClose)
  }
}
