import { component$, useSignal } from '@builder.io/qwik'
import { Alert, Badge, Button, Card, ErrorAlert, formatPlural, SkeletonLines, useQuery } from '@svc/ui-kit'
import { EnrolDialog } from './enrol-dialog.tsx'
import { RemoveDialog } from './remove-dialog.tsx'

/** Codes below which new ones are due. */
const fewCodes = 3

/** The second factor of the local admin, where the sessions are. */
export const SecondFactorCard = component$(() => {
  const session = useQuery('GET /auth/session')
  const factor = useQuery('GET /auth/second-factor')
  const enrolling = useSignal(false)
  const removing = useSignal(false)
  // There is no sign-in without authentication.
  if (session.error?.status === 404) return null
  const isOn = factor.data?.enabled ?? false
  const left = factor.data?.recovery_codes_left ?? 0
  return (
    <>
      <Card title="Second factor of the local admin" class="mt-4">
        {factor.data && (
          <span q:slot="actions">
            <Badge tone={isOn ? 'success' : 'neutral'}>{isOn ? 'On' : 'Off'}</Badge>
          </span>
        )}
        <ErrorAlert error={factor.error} title="The second factor cannot be read" onRetry$={factor.refresh} />
        {!factor.data && !factor.error && <SkeletonLines lines={2} label="Loading the second factor" />}
        {factor.data && (
          <div class="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 text-sm">
            <p class="min-w-0 max-w-160 text-muted">
              {isOn
                ? `The sign-in asks for the password and a code; HTTP Basic takes the password of scripts. ${formatPlural(left, 'recovery code')} left.`
                : 'The password alone signs in. With a second factor the sign-in also asks for a code of an authenticator app, and scripts get a password of their own.'}
            </p>
            {isOn ? (
              <Button
                changes="POST /auth/second-factor/remove"
                onClick$={() => {
                  removing.value = true
                }}
              >
                Turn off
              </Button>
            ) : (
              <Button
                icon="shield-check"
                changes="POST /auth/second-factor"
                onClick$={() => {
                  enrolling.value = true
                }}
              >
                Turn on
              </Button>
            )}
          </div>
        )}
        {isOn && left < fewCodes && (
          <div class="mt-3">
            <Alert tone="warning" title="Few recovery codes are left">
              Turn the second factor off and on again: that makes new ones.
            </Alert>
          </div>
        )}
      </Card>
      <EnrolDialog open={enrolling} />
      <RemoveDialog open={removing} />
    </>
  )
})
