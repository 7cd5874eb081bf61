import { component$ } from '@builder.io/qwik'
import { type Answer, CopyButton, KeyText, KeyValue, KeyValues } from '@svc/ui-kit'

type Metadata = Answer<'GET /buckets/:name/objects/metadata'>

/** Headers, metadata, tags and checksums that are stored with a version. */
export const ObjectMetadata = component$<{ metadata: Metadata }>(({ metadata: { headers, metadata, tags, checksums } }) => {
  const groups = [
    { title: 'Headers', pairs: headers },
    { title: 'Metadata', pairs: metadata },
    { title: 'Tags', pairs: tags },
    { title: 'Checksums', pairs: checksums },
  ].filter(({ pairs }) => pairs.length > 0)
  if (groups.length === 0) return <p class="text-sm text-muted">No headers, metadata, tags or checksums are stored with it.</p>
  return (
    <div class="flex flex-col gap-4">
      {groups.map(({ title, pairs }) => (
        <div key={title}>
          <h4 class="text-xs font-medium text-muted">{title}</h4>
          <KeyValues>
            {pairs.map(({ name, value }) => (
              <KeyValue key={name} label={name}>
                <span class="inline-flex max-w-full items-start justify-end gap-1 font-mono text-xs">
                  <span class="min-w-0 py-1">
                    <KeyText text={value} wrap />
                  </span>
                  <CopyButton text={value} label={name} />
                </span>
              </KeyValue>
            ))}
          </KeyValues>
        </div>
      ))}
    </div>
  )
})
