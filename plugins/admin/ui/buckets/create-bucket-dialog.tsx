import { $, component$, type QRL, type Signal, useId, useSignal } from '@builder.io/qwik'
import {
  ActionPrice,
  Button,
  CancelButton,
  call,
  Dialog,
  Field,
  go,
  type Input,
  invalidate,
  SkeletonLines,
  TextInput,
  toast,
  useAction$,
  usePriceTerms,
} from '@svc/ui-kit'
import { findNameProblem } from './bucket-name-policy.ts'
import { CopiesFields } from './copies-fields.tsx'
import { copiesOfNewBucket, findCopiesProblem, pricedCopies } from './copies-policy.ts'
import { bucketHref } from './links.ts'
import { OwnerSelect } from './owner-select.tsx'
import { useNewCopies } from './use-new-copies.ts'

/** Members of the answer that belong to one field. */
const fieldOf: Readonly<Record<string, 'name' | 'owner'>> = {
  invalid_bucket_name: 'name',
  bucket_exists: 'name',
  owner_unknown: 'owner',
  s3_users_unavailable: 'owner',
}

export const CreateBucketDialog = component$<{ open: Signal<boolean>; onClose$: QRL<() => void> }>(({ open, onClose$ }) => {
  const { settings, target, minimum, isKnown, isTouched } = useNewCopies()
  const name = useSignal('')
  const owner = useSignal('')
  const tried = useSignal(false)
  const formId = useId()
  const terms = usePriceTerms()
  const create = useAction$((body: Input<'POST /buckets'>['body']) => call('POST /buckets', { body }, { headers: terms.headers }))
  const copiesProblem = findCopiesProblem({ target: target.value, minimum: minimum.value })
  const submit = $(async () => {
    tried.value = true
    if (terms.lockedReason) return
    if (findNameProblem(name.value) || owner.value === '' || findCopiesProblem({ target: target.value, minimum: minimum.value })) return
    const made = await create.run({
      name: name.value,
      owner_access_key: owner.value,
      ...copiesOfNewBucket({ target: target.value, minimum: minimum.value, isKnown: isKnown.value, isTouched: isTouched.value }),
    })
    if (!made) return
    invalidate(['GET /buckets', 'GET /overview', 'GET /s3-users'])
    open.value = false
    toast({ title: `Bucket ${made.name} created` })
    go(bucketHref(made.name))
  })
  const refused = create.error && fieldOf[create.error.code ?? '']
  const nameProblem = name.value !== '' || tried.value ? findNameProblem(name.value) : undefined
  return (
    <Dialog open={open} title="Create a bucket" pending={create.isPending} onClose$={onClose$}>
      <form id={formId} noValidate preventdefault:submit onSubmit$={submit} class="flex flex-col gap-4">
        <Field
          label="Name"
          required
          help="3 to 63 lower-case letters, digits, dots and hyphens. It cannot be changed later."
          error={nameProblem ?? (refused === 'name' ? create.error?.message : undefined)}
        >
          <TextInput name="bucket" value={name} mono maxLength={63} />
        </Field>
        <OwnerSelect
          isNew
          owner={owner}
          error={tried.value && owner.value === '' ? 'Choose an owner.' : refused === 'owner' ? create.error?.message : undefined}
        />
        {settings.data || settings.error ? (
          <>
            <CopiesFields target={target} minimum={minimum} problem={copiesProblem} />
            {!isKnown.value && !isTouched.value && (
              <p class="text-xs text-muted">The usual numbers could not be read. The bucket gets them unless you change these.</p>
            )}
          </>
        ) : (
          <SkeletonLines lines={2} label="Loading the default numbers of copies" />
        )}
        <ActionPrice
          action={{ kind: 'new_bucket', ...pricedCopies({ target: target.value, isKnown: isKnown.value, isTouched: isTouched.value }) }}
          terms={terms}
          error={refused ? undefined : create.error}
        />
      </form>
      <CancelButton q:slot="footer" open={open} pending={create.isPending} />
      <Button
        q:slot="footer"
        type="submit"
        form={formId}
        variant="primary"
        changes="POST /buckets"
        pending={create.isPending}
        lockedReason={terms.lockedReason}
      >
        Create bucket
      </Button>
    </Dialog>
  )
})
