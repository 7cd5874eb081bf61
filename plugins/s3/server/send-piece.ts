import type { ServerResponse } from 'node:http'

/**
 * Resolves when the socket has taken all bytes, and no longer needs their memory. Throws when the client disconnects or reads nothing for
 * `idleMs`; the connection is closed by then, so that it cannot send other bytes that are put into the same memory.
 */
export async function sendPiece(response: ServerResponse, piece: Uint8Array, idleMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let reason = 'the client closed the connection'
  const onClose = () => reject(new Error(reason))
  const timer = setTimeout(() => {
    reason = `the client read nothing for ${idleMs} ms`
    response.destroy()
  }, idleMs)
  response.once('close', onClose)
  try {
    if (response.destroyed) onClose()
    // A failed write closes the connection, whose event follows.
    else response.write(piece, (error) => (error ? response.destroy() : resolve()))
    await promise
  } finally {
    clearTimeout(timer)
    response.off('close', onClose)
  }
}
