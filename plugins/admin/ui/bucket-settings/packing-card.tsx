import { $, component$ } from '@builder.io/qwik'
import {
  Card,
  call,
  ErrorAlert,
  formatBytes,
  formatPlural,
  invalidate,
  RadioGroup,
  SkeletonLines,
  toast,
  useAction$,
  useQuery,
} from '@svc/ui-kit'

/** Whether small objects of the bucket share paid pieces. */
export const PackingCard = component$<{ bucket: string }>(({ bucket }) => {
  const packs = useQuery('GET /packs', () => ({ query: { bucket, limit: '1' } }))
  const save = useAction$((packing: 'off' | 'small') => call('PUT /packs/policy', { body: { bucket, packing } }))
  const found = packs.data?.buckets[0]
  return (
    <Card title="Packing">
      <div class="flex flex-col gap-3 text-sm">
        <ErrorAlert error={found ? save.error : packs.error} onRetry$={packs.refresh} />
        {!found && !packs.error && <SkeletonLines lines={2} label="Loading the packing" />}
        {found && (
          <>
            <RadioGroup
              label="Small objects"
              hideLabel
              value={found.packing}
              options={[
                {
                  value: 'off',
                  label: 'Each object is a piece of its own',
                  help: 'Copies begin at once; each object pays the fee of a piece.',
                },
                {
                  value: 'small',
                  label: 'Small objects share pieces',
                  help: 'Copies wait until a pack is full or idle; many objects pay one fee.',
                },
              ]}
              onValue$={$(async (packing: string) => {
                if (!(await save.run(packing as 'off' | 'small'))) return
                invalidate(['GET /packs'])
                toast({ title: packing === 'small' ? 'Small objects are packed from now on' : 'New objects are not packed any more' })
              })}
            />
            {found.waiting.contents > 0 && (
              <p class="text-xs text-muted">
                {formatPlural(found.waiting.contents, 'object')} with {formatBytes(found.waiting.bytes)} wait for a pack.{' '}
                {found.waiting.message}
              </p>
            )}
          </>
        )}
      </div>
    </Card>
  )
})
