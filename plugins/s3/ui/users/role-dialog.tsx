import { $, component$, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import { Alert, call, invalidate, ReviewTable, toast, useAction$ } from '@svc/ui-kit'
import { RoleSteps } from './role-steps.tsx'
import { useDialog } from './use-dialog.ts'
import { helpOf, type Role, type S3User } from './user-policy.ts'

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
    <RoleSteps
      open={open}
      title={isReview.value ? 'Change the role?' : 'Change role'}
      description={props.user?.access_key}
      role={role}
      isReview={isReview}
      pending={change.isPending}
      error={change.error}
      changes="PUT /s3-users/:accessKey"
      submitLabel={isReview.value ? 'Change role' : 'Review'}
      lockedReason={isSame ? 'Choose another role first.' : undefined}
      onSubmit$={submit}
      onClose$={change.reset}
    >
      {isReview.value && (
        <>
          <ReviewTable rows={[{ label: 'Role', from: props.user?.role ?? '', to: role.value }]} />
          <Alert tone={role.value === 'admin' ? 'warning' : 'info'}>{helpOf(role.value as Role)}</Alert>
        </>
      )}
    </RoleSteps>
  )
})
