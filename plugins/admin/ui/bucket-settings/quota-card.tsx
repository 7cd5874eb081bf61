import { $, component$, useSignal } from '@builder.io/qwik'
import {
  type Answer,
  Button,
  Card,
  call,
  ErrorAlert,
  Field,
  formatBytes,
  formatExactCount,
  formatPercent,
  invalidate,
  KeyValue,
  KeyValues,
  TextInput,
  toast,
  useAction$,
  useRefusal,
} from '@svc/ui-kit'
import { readQuota, writeQuota } from './quota-texts.ts'

type Quota = Answer<'GET /buckets/:name/s3-settings'>['quota']

const route = 'PUT /buckets/:name/s3-settings/quota'

/** What S3 clients may store in the bucket, beside what it holds. */
export const QuotaCard = component$<{ bucket: string; quota: Quota }>(({ bucket, quota }) => {
  const { objects, gib } = writeQuota(quota)
  const [versions, size] = [useSignal(objects), useSignal(gib)]
  const problem = useSignal(false)
  const refused = useRefusal()(route)
  const save = useAction$(async () => {
    const body = readQuota({ objects: versions.value, gib: size.value })
    problem.value = body === undefined
    if (!body) return false
    await call(route, { params: { name: bucket }, body })
    return true
  })
  const submit = $(async () => {
    if (!(await save.run())) return
    invalidate(['GET /buckets/:name/s3-settings'])
    toast({ title: 'Quota saved' })
  })
  return (
    <Card title="Quota">
      <KeyValues>
        <KeyValue label="Object versions" value={usageText(quota.usage.objects, quota.objects, formatExactCount)} />
        <KeyValue label="Size of all versions" value={usageText(quota.usage.bytes, quota.bytes, formatBytes)} />
      </KeyValues>
      <form preventdefault:submit onSubmit$={submit} class="mt-3 flex flex-col gap-3">
        <p class="text-xs text-muted">
          S3 clients can store no more than this. Empty: no limit but those of the owner, on the page S3 users.
        </p>
        <div class="grid gap-3 sm:grid-cols-2">
          <Field label="Most object versions" lockedReason={refused}>
            <TextInput value={versions} name="quota-objects" inputMode="numeric" />
          </Field>
          <Field label="Most GiB" lockedReason={refused}>
            <TextInput value={size} name="quota-gib" inputMode="decimal" />
          </Field>
        </div>
        <ErrorAlert
          error={problem.value ? { message: 'Versions must be a whole number, and GiB a number, both above 0; or empty.' } : save.error}
        />
        <div>
          <Button type="submit" size="sm" icon="save" changes={route} pending={save.isPending}>
            Save quota
          </Button>
        </div>
      </form>
    </Card>
  )
})

const usageText = (used: number, limit: number | null, format: (value: number) => string): string =>
  limit === null ? `${format(used)}, no limit` : `${format(used)} of ${format(limit)}, ${formatPercent(used, limit)}`
