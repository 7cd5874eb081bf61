import { component$ } from '@builder.io/qwik'
import { Alert, formatPlural, KeyText } from '@svc/ui-kit'
import type { KeyResult } from './delete-keys.ts'

const shownMax = 100

/** What became of each key; those that were refused come with the reason. */
export const DeleteResults = component$<{ results: readonly KeyResult[]; wanted: number; isEnded: boolean }>(
  ({ results, wanted, isEnded }) => {
    const refused = results.filter(({ problem }) => problem !== undefined)
    const left = wanted - results.length
    return (
      <>
        {isEnded && left > 0 && <Alert tone="info">Stopped: {formatPlural(left, 'object was', 'objects were')} not deleted.</Alert>}
        {refused.length > 0 && (
          <Alert tone="danger" title={`${formatPlural(refused.length, 'object was', 'objects were')} not deleted`} live>
            <ul class="mt-1 flex max-h-48 flex-col gap-1.5 overflow-y-auto">
              {refused.slice(0, shownMax).map(({ key, problem }) => (
                <li key={key} class="min-w-0">
                  <span class="font-mono text-xs">
                    <KeyText text={key} />
                  </span>
                  <span class="block text-xs text-muted">{problem}</span>
                </li>
              ))}
            </ul>
          </Alert>
        )}
      </>
    )
  },
)
