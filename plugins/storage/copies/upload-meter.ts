import type { Clock } from '#kernel'
import type { UploadRecord } from '../contract.ts'

/** Bytes on their way to providers, by content. In memory: after a restart an upload begins again. */
export interface UploadMeter {
  begin(contentId: number, upload: Pick<UploadRecord, 'attempt' | 'totalBytes'>): void
  set(contentId: number, sentBytes: number): void
  end(contentId: number): void
  of(contentId: number): UploadRecord | undefined
}

export function createUploadMeter(clock: Clock): UploadMeter {
  const running = new Map<number, UploadRecord>()
  return {
    begin: (contentId, upload) => void running.set(contentId, { ...upload, sentBytes: 0, updatedAtMs: clock.now() }),
    set(contentId, sentBytes) {
      const upload = running.get(contentId)
      if (upload) running.set(contentId, { ...upload, sentBytes, updatedAtMs: clock.now() })
    },
    end: (contentId) => void running.delete(contentId),
    of: (contentId) => running.get(contentId),
  }
}
