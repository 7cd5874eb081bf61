import { $, component$, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import { Alert, Button, call, Dialog, invalidate, RadioGroup, ReviewTable, setSearch, useAction$ } from '@svc/ui-kit'
import { type Credentials, helpOf, type Role, roles } from './user-policy.ts'

interface CreateProps {
  /** From the address of the page. */
  isOpen: boolean
  secret: Signal<Credentials | undefined>
}

/** Chooses a role; full access needs a second look. */
export const CreateDialog = component$<CreateProps>((props) => {
  const open = useSignal(false)
  const role = useSignal<string>('userplus')
  const isReview = useSignal(false)
  useTask$(({ track }) => {
    open.value = track(() => props.isOpen)
    role.value = 'userplus'
    isReview.value = false
  })
  const create = useAction$(async () => {
    const made = await call('POST /s3-users', { body: { role: role.value as Role } })
    invalidate(['GET /s3-users'])
    open.value = false
    setSearch({ create: null }, { replace: true })
    props.secret.value = made
  })
  const submit = $(async () => {
    if (role.value === 'admin' && !isReview.value) isReview.value = true
    else await create.run()
  })
  const needsReview = role.value === 'admin' && !isReview.value
  return (
    <Dialog
      open={open}
      title={isReview.value ? 'Create a user with full access?' : 'Create an S3 user'}
      description={isReview.value ? undefined : 'The service makes its access key and secret key.'}
      pending={create.isPending}
      onClose$={$(() => {
        create.reset()
        setSearch({ create: null }, { replace: true })
      })}
    >
      <div class="flex flex-col gap-4">
        {isReview.value ? (
          <>
            <ReviewTable
              rows={[
                { label: 'Role', to: role.value },
                { label: 'Access', to: helpOf('admin') },
              ]}
            />
            <Alert tone="warning">Anyone who has the secret key reads, changes and deletes the objects of all owners.</Alert>
          </>
        ) : (
          <RadioGroup label="Role" value={role} options={roles} />
        )}
        {create.error && (
          <Alert tone="danger" live>
            {create.error.message}
          </Alert>
        )}
      </div>
      {isReview.value && (
        <Button
          q:slot="footer"
          disabled={create.isPending}
          onClick$={() => {
            isReview.value = false
          }}
        >
          Back
        </Button>
      )}
      <Button
        q:slot="footer"
        disabled={create.isPending}
        onClick$={() => {
          open.value = false
        }}
      >
        Cancel
      </Button>
      <Button q:slot="footer" variant="primary" pending={create.isPending} onClick$={submit}>
        {needsReview ? 'Review' : isReview.value ? 'Create admin' : 'Create user'}
      </Button>
    </Dialog>
  )
})
