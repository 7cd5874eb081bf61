import { component$ } from '@builder.io/qwik'
import { Ago, type Answer, Badge } from '@svc/ui-kit'

/** Members that every replacement has; a plugin adds more. */
interface Replacement {
  readonly id: number
  readonly created_at: string
  readonly status?: string
}

/** Replacements of providers, newest first. */
export const ReplacementList = component$<{ replacements: Answer<'GET /buckets/:name'>['replacements'] }>(({ replacements }) => (
  <section aria-labelledby="sheet-replacements">
    <h3 id="sheet-replacements" class="mb-2 text-sm font-semibold">
      Replacements of providers
    </h3>
    <ul class="divide-y rounded-md border">
      {(replacements as readonly Replacement[]).map(({ id, created_at, status }) => (
        <li key={id} class="flex flex-wrap items-center justify-between gap-2 px-3.5 py-2 text-sm">
          <span class="font-medium">Replacement {id}</span>
          <span class="flex items-center gap-2 text-muted">
            {status !== undefined && <Badge tone="info">{status.replaceAll('_', ' ')}</Badge>}
            <Ago time={created_at} />
          </span>
        </li>
      ))}
    </ul>
  </section>
))
