import { component$, type Signal, useTask$ } from '@builder.io/qwik'
import { Field, formatPlural, Select, type SelectOption, useIsEnabled, useQuery } from '@svc/ui-kit'
import { internalRoot, ownerName } from './owner-policy.ts'

interface OwnerSelectProps {
  owner: Signal<string>
  error?: string | undefined
  /** The bucket is new: the only user is its likely owner. */
  isNew?: boolean | undefined
}

/** A choice of all S3 users, and of the service's own account. */
export const OwnerSelect = component$<OwnerSelectProps>(({ owner, error, isNew }) => {
  const hasUsers = useIsEnabled('s3')
  const users = useQuery('GET /s3-users', () => (hasUsers.value ? {} : null))
  useTask$(({ track }) => {
    const [only, other] = track(() => users.data) ?? []
    if (isNew && only && !only.is_disabled && !other && owner.value === '') owner.value = only.access_key
  })
  const options: readonly SelectOption[] = [
    { value: '', label: hasUsers.value && !users.data && !users.error ? 'Loading the S3 users…' : 'Choose an owner', disabled: true },
    ...(users.data ?? []).map(({ access_key, name, role, bucket_count }) => ({
      value: access_key,
      label: `${ownerName(access_key, name)} (${role}, ${formatPlural(bucket_count, 'bucket')})`,
    })),
    { value: internalRoot, label: 'Unassigned: only the Admin API can use the bucket' },
  ]
  return (
    <Field
      label="Owner"
      required
      help={hasUsers.value ? 'The S3 user whose access key may use the bucket.' : 'The S3 API is off, so there are no S3 users.'}
      error={error ?? users.error?.message}
    >
      <Select name="owner" value={owner} options={options} />
    </Field>
  )
})
