/** Bytes on their way to providers, by content. In memory: after a restart an upload begins again. */
export interface UploadMeter {
  begin(contentId: number, totalBytes: number): void
  set(contentId: number, sentBytes: number): void
  end(contentId: number): void
  of(contentId: number): { readonly sentBytes: number; readonly totalBytes: number } | undefined
}

export function createUploadMeter(): UploadMeter {
  const running = new Map<number, { sentBytes: number; readonly totalBytes: number }>()
  return {
    begin: (contentId, totalBytes) => void running.set(contentId, { sentBytes: 0, totalBytes }),
    set(contentId, sentBytes) {
      const upload = running.get(contentId)
      if (upload) upload.sentBytes = sentBytes
    },
    end: (contentId) => void running.delete(contentId),
    of: (contentId) => running.get(contentId),
  }
}
