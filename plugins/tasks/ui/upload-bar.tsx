import { component$ } from '@builder.io/qwik'
import { formatBytes, Progress } from '@svc/ui-kit'
import type { UploadProgress } from './upload-progress-policy.ts'

/** Bytes that are moving to the first provider. */
export const UploadBar = component$<{ upload: UploadProgress }>(({ upload: { uploaded_bytes, total_bytes } }) => (
  <Progress
    label="Upload to the provider"
    value={uploaded_bytes}
    max={total_bytes}
    text={`${formatBytes(uploaded_bytes)} of ${formatBytes(total_bytes)}`}
  />
))
