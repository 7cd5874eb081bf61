import type { Output } from '#kernel'
import { progressText } from './progress-text-policy.ts'

/** Time between two updates of the progress bar. */
const drawMs = 100

/** Passes the bytes on and shows a progress bar if the output is a terminal. The bar is removed at the end. */
export async function* showProgress(
  bytes: AsyncIterable<Uint8Array>,
  totalBytes: number | undefined,
  { progress }: Pick<Output, 'progress'>,
): AsyncGenerator<Uint8Array> {
  if (!progress) return yield* bytes
  const startedAtMs = performance.now()
  let doneBytes = 0
  let drawnAtMs = Number.NEGATIVE_INFINITY
  try {
    for await (const chunk of bytes) {
      yield chunk
      doneBytes += chunk.length
      const nowMs = performance.now()
      const isLast = doneBytes === totalBytes
      if (nowMs - drawnAtMs < drawMs && !isLast) continue
      drawnAtMs = nowMs
      progress(progressText({ doneBytes, totalBytes, elapsedMs: nowMs - startedAtMs }))
    }
  } finally {
    progress('')
  }
}
