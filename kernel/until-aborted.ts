/** The blocks; throws the signal's reason as soon as it aborts, also while the source does not respond. */
export async function* untilAborted(blocks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  const iterator = blocks[Symbol.asyncIterator]()
  try {
    for (let next = await unlessAborted(iterator.next(), signal); !next.done; next = await unlessAborted(iterator.next(), signal)) {
      yield next.value
    }
  } finally {
    // Not awaited: the source may not respond. Its later errors concern no one.
    iterator.return?.().catch(() => {})
  }
}

/** The promise; rejects with the signal's reason as soon as it aborts. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // One listener for each wait: a promise that lives as long as the signal would keep all results in memory.
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
