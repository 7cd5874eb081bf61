import { $, component$, type QRL, type Signal, useId, useSignal } from '@builder.io/qwik'
import { Button, call, Dialog, ErrorAlert, invalidate, ReviewTable, Stepper, toast, useAction$, useIsEnabled, useQuery } from '@svc/ui-kit'
import { isUnassigned, ownerName } from './owner-policy.ts'
import { OwnerSelect } from './owner-select.tsx'

interface ChangeOwnerProps {
  open: Signal<boolean>
  bucket: string
  current: string | null
  onClose$: QRL<() => void>
}

/** Two steps: choose, then compare. */
export const ChangeOwnerDialog = component$<ChangeOwnerProps>(({ open, bucket, current, onClose$ }) => {
  const owner = useSignal('')
  const isReview = useSignal(false)
  const formId = useId()
  const hasUsers = useIsEnabled('s3')
  const users = useQuery('GET /s3-users', () => (hasUsers.value ? {} : null))
  const change = useAction$((name: string, owner_access_key: string) =>
    call('PUT /buckets/:name/owner', { params: { name }, body: { owner_access_key } }),
  )
  const submit = $(async () => {
    if (owner.value === '' || owner.value === current) return
    if (!isReview.value) {
      isReview.value = true
      return
    }
    const changed = await change.run(bucket, owner.value)
    if (!changed) return
    invalidate(['GET /buckets', 'GET /buckets/:name', 'GET /s3-users'])
    open.value = false
    toast({ title: `${bucket} belongs to ${changed.owner_name ?? ownerName(changed.owner_access_key)}` })
  })
  const locked =
    owner.value === '' ? 'Choose an owner first.' : owner.value === current ? 'The bucket already belongs to this owner.' : undefined
  const named = (key: string | null) => ownerName(key, users.data?.find(({ access_key }) => access_key === key)?.name)
  return (
    <Dialog open={open} title={`Change the owner of ${bucket}`} pending={change.isPending} onClose$={onClose$}>
      <div class="flex flex-col gap-4">
        <Stepper
          label="Steps"
          steps={[
            { id: 'choose', label: 'Choose', state: isReview.value ? 'done' : 'current' },
            { id: 'review', label: 'Review', state: isReview.value ? 'current' : 'waiting' },
          ]}
        />
        <form id={formId} preventdefault:submit onSubmit$={submit} class="flex flex-col gap-4">
          {isReview.value ? (
            <>
              <ReviewTable rows={[{ label: 'Owner', from: named(current), to: named(owner.value) }]} />
              <p class="text-sm text-muted">
                {isUnassigned(owner.value)
                  ? 'No S3 user will be able to use the bucket. Its objects stay.'
                  : 'The change takes effect with the next S3 request. The owner before loses access unless its role is admin.'}
              </p>
            </>
          ) : (
            <OwnerSelect owner={owner} />
          )}
          <ErrorAlert error={change.error} />
        </form>
      </div>
      <Button
        q:slot="footer"
        disabled={change.isPending}
        onClick$={() => {
          if (isReview.value) isReview.value = false
          else open.value = false
        }}
      >
        {isReview.value ? 'Back' : 'Cancel'}
      </Button>
      <Button
        q:slot="footer"
        type="submit"
        form={formId}
        variant="primary"
        changes="PUT /buckets/:name/owner"
        pending={change.isPending}
        lockedReason={locked}
      >
        {isReview.value ? 'Change owner' : 'Review'}
      </Button>
    </Dialog>
  )
})
