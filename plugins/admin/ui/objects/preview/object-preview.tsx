import { component$, useSignal, useTask$ } from '@builder.io/qwik'
import { Alert, type Answer, apiPath, ErrorAlert, formatBytes, LinkButton, SkeletonLines } from '@svc/ui-kit'
import { prettyText } from './preview-text-policy.ts'

type Preview = NonNullable<Answer<'GET /buckets/:name/objects/metadata'>['preview']>

interface ObjectPreviewProps {
  bucket: string
  objectKey: string
  versionId: string
  size: number
  preview: Preview | undefined
}

/** The content of an object: text as text, pictures and sound by the browser, a PDF in a tab of its own. Nothing of it runs. */
export const ObjectPreview = component$<ObjectPreviewProps>(({ bucket, objectKey, versionId, size, preview }) => {
  const address = apiPath('GET /buckets/:name/objects/preview', {
    params: { name: bucket },
    query: { key: objectKey, version_id: versionId },
  })
  if (!preview) return <p class="text-sm text-muted">There is no preview of this type or size.</p>
  const name = `Preview of ${objectKey}`
  switch (preview.kind) {
    case 'image':
      return (
        <img src={address} alt={name} width={432} height={320} class="h-auto max-h-100 w-auto max-w-full rounded-md border bg-sunken" />
      )
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: an object has no captions
      return <audio controls preload="metadata" src={address} aria-label={name} class="w-full" />
    case 'video':
      // biome-ignore lint/a11y/useMediaCaption: an object has no captions
      return <video controls preload="metadata" src={address} aria-label={name} class="max-h-100 w-full rounded-md border bg-sunken" />
    case 'pdf':
      return (
        <LinkButton href={address} target="_blank" icon="external-link">
          Open the PDF
        </LinkButton>
      )
    default:
      return <TextPreview address={address} name={name} isCut={size > preview.bytes} shownBytes={preview.bytes} />
  }
})

interface TextPreviewProps {
  address: string
  name: string
  isCut: boolean
  shownBytes: number
}

const TextPreview = component$<TextPreviewProps>(({ address, name, isCut, shownBytes }) => {
  const text = useSignal<string>()
  const problem = useSignal<string>()
  useTask$(({ cleanup }) => {
    const control = new AbortController()
    cleanup(() => control.abort())
    void readText(address, control.signal).then(
      (read) => {
        text.value = isCut ? read : prettyText(read)
      },
      (error: unknown) => {
        if (!control.signal.aborted) problem.value = error instanceof Error ? error.message : String(error)
      },
    )
  })
  if (problem.value !== undefined) return <ErrorAlert error={{ message: problem.value }} />
  if (text.value === undefined) return <SkeletonLines lines={6} label="Loading the preview" />
  return (
    <div class="flex flex-col gap-2">
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={name}
        class="max-h-100 overflow-auto rounded-md border bg-sunken px-3 py-2"
      >
        <pre class="font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">{text.value}</pre>
      </section>
      {isCut && <Alert tone="info">The first {formatBytes(shownBytes)} are shown. Download the object for the rest.</Alert>}
    </div>
  )
})

const answerMs = 30_000

async function readText(address: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(address, { signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]) })
  if (!response.ok) throw new Error(`The preview could not be read (${response.status}).`)
  return response.text()
}
