import type { Clock } from '#kernel'

/** Bytes on their way to providers, by content. In memory: after a restart an upload begins again. */
export interface UploadMeter {
  begin(contentId: number, totalBytes: number): void
  set(contentId: number, sentBytes: number): void
  /** The provider took all bytes, or the upload failed. */
  end(contentId: number, how: { readonly isDone: boolean }): void
  of(contentId: number): { readonly sentBytes: number; readonly totalBytes: number } | undefined
}

export interface UploadProgress {
  readonly sentBytes: number
  readonly totalBytes: number
  readonly isDone: boolean
}

const announceMs = 1000

/** `announce` hears of each upload at its beginning, at most once a second after that, and when it is done. */
export function createUploadMeter(
  clock: Pick<Clock, 'now'>,
  announce: (contentId: number, progress: UploadProgress) => void = () => {},
): UploadMeter {
  const running = new Map<number, { sentBytes: number; readonly totalBytes: number; announcedAtMs: number }>()
  return {
    begin(contentId, totalBytes) {
      running.set(contentId, { sentBytes: 0, totalBytes, announcedAtMs: clock.now() })
      announce(contentId, { sentBytes: 0, totalBytes, isDone: false })
    },
    set(contentId, sentBytes) {
      const upload = running.get(contentId)
      if (!upload) return
      upload.sentBytes = sentBytes
      if (clock.now() < upload.announcedAtMs + announceMs) return
      upload.announcedAtMs = clock.now()
      announce(contentId, { sentBytes, totalBytes: upload.totalBytes, isDone: false })
    },
    end(contentId, { isDone }) {
      const upload = running.get(contentId)
      running.delete(contentId)
      if (upload && isDone) announce(contentId, { sentBytes: upload.totalBytes, totalBytes: upload.totalBytes, isDone })
    },
    of: (contentId) => running.get(contentId),
  }
}
