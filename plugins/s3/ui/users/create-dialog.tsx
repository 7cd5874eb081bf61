import { $, component$, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import { Alert, call, invalidate, ReviewTable, setSearch, useAction$ } from '@svc/ui-kit'
import { RoleSteps } from './role-steps.tsx'
import { type Credentials, helpOf, type Role } from './user-policy.ts'

interface CreateProps {
  /** Read from the address of the page. */
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
    <RoleSteps
      open={open}
      title={isReview.value ? 'Create a user with full access?' : 'Create an S3 user'}
      description={isReview.value ? undefined : 'The service makes its access key and secret key.'}
      role={role}
      isReview={isReview}
      pending={create.isPending}
      error={create.error}
      changes="POST /s3-users"
      submitLabel={needsReview ? 'Review' : isReview.value ? 'Create admin' : 'Create user'}
      onSubmit$={submit}
      onClose$={$(() => {
        create.reset()
        setSearch({ create: null }, { replace: true })
      })}
    >
      {isReview.value && (
        <>
          <ReviewTable
            rows={[
              { label: 'Role', to: role.value },
              { label: 'Access', to: helpOf('admin') },
            ]}
          />
          <Alert tone="warning">Anyone who has the secret key reads, changes and deletes the objects of all owners.</Alert>
        </>
      )}
    </RoleSteps>
  )
})
