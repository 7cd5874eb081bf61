import { $, component$, useSignal } from '@builder.io/qwik'
import { ActionPrice, Alert, type Answer, Button, Confirm, call, invalidate, toast, useAction$, usePriceTerms } from '@svc/ui-kit'
import { CopiesFields } from './copies-fields.tsx'
import { copiesChange, describeEffects, findCopiesProblem } from './copies-policy.ts'

/** The two numbers with their rules, and a comparison before they are saved. */
export const CopyPolicyForm = component$<{ bucket: Answer<'GET /buckets/:name'> }>(({ bucket }) => {
  const { name, default_copies, minimum_durable_copies } = bucket
  const target = useSignal(default_copies)
  const minimum = useSignal(minimum_durable_copies)
  const isAsking = useSignal(false)
  const terms = usePriceTerms()
  const save = useAction$((params: { name: string }, body: ReturnType<typeof copiesChange>) =>
    call('PUT /buckets/:name/copy-policy', { params, body }, { headers: terms.headers }),
  )
  const current = { target: default_copies, minimum: minimum_durable_copies }
  const next = { target: target.value, minimum: minimum.value }
  const effects = describeEffects(next, current)
  const problem = findCopiesProblem(next, current)
  const isRaised = next.target > current.target
  const confirm = $(async () => {
    const change = copiesChange(
      { target: target.value, minimum: minimum.value },
      { target: bucket.default_copies, minimum: bucket.minimum_durable_copies },
    )
    if (!(await save.run({ name: bucket.name }, change))) return
    isAsking.value = false
    invalidate(['GET /buckets', 'GET /buckets/:name'])
    toast({ title: `Copy policy of ${bucket.name} saved` })
  })
  return (
    <div class="flex flex-col gap-4">
      <CopiesFields target={target} minimum={minimum} lowest={default_copies} problem={problem} />
      {effects.length > 0 && !problem && (
        <Alert tone={isRaised ? 'warning' : 'info'}>
          {effects.map((effect) => (
            <p key={effect}>{effect}</p>
          ))}
        </Alert>
      )}
      <div class="flex flex-wrap gap-2">
        <Button
          variant="primary"
          icon="save"
          changes="PUT /buckets/:name/copy-policy"
          lockedReason={problem ?? (effects.length === 0 ? 'Change a number first.' : undefined)}
          onClick$={async () => {
            await save.reset()
            isAsking.value = true
          }}
        >
          Save policy
        </Button>
        {effects.length > 0 && (
          <Button
            variant="ghost"
            onClick$={() => {
              target.value = bucket.default_copies
              minimum.value = bucket.minimum_durable_copies
            }}
          >
            Reset
          </Button>
        )}
      </div>
      <Confirm
        open={isAsking}
        level="review"
        changes="PUT /buckets/:name/copy-policy"
        title={`Change the copy policy of ${name}`}
        confirmLabel="Save policy"
        pending={save.isPending}
        error={isRaised ? undefined : save.error?.message}
        lockedReason={terms.lockedReason}
        rows={[
          { label: 'Copies', from: String(current.target), to: String(next.target) },
          { label: 'Minimum before eviction', from: String(current.minimum), to: String(next.minimum) },
        ]}
        onConfirm$={confirm}
      >
        <div class="text-sm text-muted">
          {effects.map((effect) => (
            <p key={effect}>{effect}</p>
          ))}
        </div>
        {isRaised && isAsking.value && (
          <ActionPrice action={{ kind: 'raise_target', bucket: name, copies: next.target }} terms={terms} error={save.error} />
        )}
      </Confirm>
    </div>
  )
})
