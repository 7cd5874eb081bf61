import { $, component$, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import { Alert, Button, call, Dialog, invalidate, RadioGroup, ReviewTable, toast, useAction$ } from '@svc/ui-kit'
import { useDialog } from './use-dialog.ts'
import { type Role, roles, type S3User } from './user-policy.ts'

interface RoleProps {
  user: S3User | undefined
  dialog: Signal<string | undefined>
}

/** First the role, then what changes. */
export const RoleDialog = component$<RoleProps>((props) => {
  const open = useDialog(props.dialog, 'role')
  const role = useSignal<string>('user')
  const isReview = useSignal(false)
  useTask$(({ track }) => {
    if (!track(() => open.value)) return
    role.value = props.user?.role ?? 'user'
    isReview.value = false
  })
  const change = useAction$(async (accessKey: string) => {
    await call('PUT /s3-users/:accessKey', { params: { accessKey }, body: { role: role.value as Role } })
    invalidate(['GET /s3-users'])
    open.value = false
    toast({ title: 'Role changed', text: `${accessKey} is ${role.value} from its next request on.` })
  })
  const submit = $(async () => {
    if (!isReview.value) isReview.value = true
    else if (props.user) await change.run(props.user.access_key)
  })
  const isSame = role.value === props.user?.role
  return (
    <Dialog
      open={open}
      title={isReview.value ? 'Change the role?' : 'Change role'}
      description={props.user?.access_key}
      pending={change.isPending}
      onClose$={change.reset}
    >
      <div class="flex flex-col gap-4">
        {isReview.value ? (
          <ReviewTable rows={[{ label: 'Role', from: props.user?.role ?? '', to: role.value }]} />
        ) : (
          <RadioGroup label="Role" value={role} options={roles} />
        )}
        {isReview.value && (
          <Alert tone={role.value === 'admin' ? 'warning' : 'info'}>{roles.find(({ value }) => value === role.value)?.help}</Alert>
        )}
        {change.error && (
          <Alert tone="danger" live>
            {change.error.message}
          </Alert>
        )}
      </div>
      {isReview.value && (
        <Button
          q:slot="footer"
          disabled={change.isPending}
          onClick$={() => {
            isReview.value = false
          }}
        >
          Back
        </Button>
      )}
      <Button
        q:slot="footer"
        disabled={change.isPending}
        onClick$={() => {
          open.value = false
        }}
      >
        Cancel
      </Button>
      <Button
        q:slot="footer"
        variant="primary"
        pending={change.isPending}
        lockedReason={isSame ? 'Choose another role first.' : undefined}
        onClick$={submit}
      >
        {isReview.value ? 'Change role' : 'Review'}
      </Button>
    </Dialog>
  )
})
