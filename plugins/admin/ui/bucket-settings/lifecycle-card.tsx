import { $, component$, useSignal, useStore } from '@builder.io/qwik'
import {
  Alert,
  type Answer,
  Badge,
  Button,
  Card,
  Confirm,
  call,
  ErrorAlert,
  Field,
  invalidate,
  TextInput,
  toast,
  useAction$,
  useRefusal,
} from '@svc/ui-kit'
import { actionsOf, type LifecycleRule, lastRunOf, readDraft, restOf, scopeOf } from './lifecycle-texts.ts'

const route = 'PUT /buckets/:name/s3-settings/lifecycle'

interface LifecycleCardProps {
  bucket: string
  settings: Answer<'GET /buckets/:name/s3-settings'>
}

/** Rules by which versions and uploads are deleted. */
export const LifecycleCard = component$<LifecycleCardProps>(({ bucket, settings }) => {
  const { lifecycle_rules: rules, lifecycle_is_on: isOn, lifecycle_run: run } = settings
  const rest = restOf(settings)
  const [prefix, expireDays, noncurrentDays, newerKept, abortDays] = [
    useSignal(''),
    useSignal(''),
    useSignal(''),
    useSignal(''),
    useSignal(''),
  ]
  const draft = useStore<{ rule?: LifecycleRule | undefined; problem?: string | undefined }>({})
  const isAsking = useSignal(false)
  const refused = useRefusal()(route)
  const save = useAction$(async (next: readonly LifecycleRule[]) => {
    await call(route, { params: { name: bucket }, body: { rules: [...next] } })
    invalidate(['GET /buckets/:name/s3-settings'])
    toast({ title: 'Lifecycle rules saved' })
    return true
  })
  const ask = $(async () => {
    await save.reset()
    const read = readDraft({
      prefix: prefix.value,
      expireDays: expireDays.value,
      noncurrentDays: noncurrentDays.value,
      newerKept: newerKept.value,
      abortDays: abortDays.value,
    })
    draft.problem = 'problem' in read ? read.problem : undefined
    draft.rule = 'rule' in read ? read.rule : undefined
    isAsking.value = draft.rule !== undefined
  })
  return (
    <Card title="Lifecycle rules">
      <div class="flex flex-col gap-3 text-sm">
        {rest && <Alert tone="warning" title={rest} />}
        {rules.length === 0 && <p class="text-muted">No rule: svc deletes no version by itself.</p>}
        <ul class="flex flex-col divide-y">
          {rules.map((rule) => (
            <li key={rule.id ?? ''} class="flex flex-wrap items-start justify-between gap-2 py-2 [overflow-wrap:anywhere]">
              <span class="min-w-0">
                <span class="font-medium">{scopeOf(rule)}</span> {!rule.enabled && <Badge>Disabled</Badge>}
                {actionsOf(rule).map((text) => (
                  <span key={text} class="block text-xs text-muted">
                    {text}
                  </span>
                ))}
              </span>
              <Button
                size="sm"
                variant="ghost"
                icon="trash"
                changes={route}
                orHidden
                aria-label={`Remove the rule ${rule.id ?? ''}`}
                onClick$={() => save.run(rules.filter(({ id }) => id !== rule.id))}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
        {run && <p class="text-xs text-muted">{lastRunOf(run)}</p>}
        {refused && <p class="text-xs text-muted">{refused}</p>}
        {!refused && isOn && (
          <form noValidate preventdefault:submit onSubmit$={ask} class="flex flex-col gap-3">
            <Field label="Keys that begin with" help="Empty: all keys of the bucket.">
              <TextInput value={prefix} name="lifecycle-prefix" mono />
            </Field>
            <div class="grid gap-3 sm:grid-cols-2">
              <Field label="Trash objects after days" help="Their versions stay, and cost, until the next field deletes them.">
                <TextInput value={expireDays} name="lifecycle-expire" inputMode="numeric" />
              </Field>
              <Field label="Delete earlier versions after days" help="Counted from when they were replaced or deleted.">
                <TextInput value={noncurrentDays} name="lifecycle-noncurrent" inputMode="numeric" />
              </Field>
              <Field label="Earlier versions that stay" help="1 to 100 of each object, whatever their age. Empty: none.">
                <TextInput value={newerKept} name="lifecycle-kept" inputMode="numeric" />
              </Field>
              <Field label="Abort uploads after days" help="Counted from when they were started.">
                <TextInput value={abortDays} name="lifecycle-abort" inputMode="numeric" />
              </Field>
            </div>
            {draft.problem && <ErrorAlert error={{ message: draft.problem }} />}
            <div>
              <Button type="submit" size="sm" icon="plus" changes={route} pending={save.isPending}>
                Add lifecycle rule
              </Button>
            </div>
          </form>
        )}
        {!isAsking.value && <ErrorAlert error={save.error} />}
      </div>
      <Confirm
        level="danger"
        open={isAsking}
        title="Add this rule?"
        description="It acts every day after midnight UTC. What it deletes permanently cannot be restored."
        confirmLabel="Add the rule"
        changes={route}
        pending={save.isPending}
        error={save.error?.message}
        onClose$={() => {
          isAsking.value = false
        }}
        onConfirm$={async () => {
          if (draft.rule && (await save.run([...rules, draft.rule]))) isAsking.value = false
        }}
      >
        <p class="text-sm font-medium">{draft.rule && scopeOf(draft.rule)}</p>
        {draft.rule && actionsOf(draft.rule).map((text) => <p key={text}>{text}</p>)}
      </Confirm>
    </Card>
  )
})
