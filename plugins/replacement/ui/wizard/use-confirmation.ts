import { type Signal, useSignal } from '@builder.io/qwik'
import { type ApiError, call, type Input, useAction$ } from '@svc/ui-kit'
import { afterRefusal, newRequestId, type Step } from './wizard-policy.ts'

interface Confirming {
  readonly bucket: string
  readonly dataSetId: number
  readonly step: Signal<Step>
  readonly isOpen: Signal<boolean>
  /** Reads the providers again. */
  readonly renewCandidates: () => Promise<void>
}

interface Refused {
  readonly leadsTo: 'choice' | 'replica'
  readonly message: string
}

/** Sends the confirmation. A repeat has the same id, also after a lost answer; a refusal leads back to where it can be mended. */
export function useConfirmation({ bucket, dataSetId, step, isOpen, renewCandidates }: Confirming) {
  const requestId = useSignal(newRequestId)
  const refused = useSignal<Refused>()
  const action = useAction$(
    async (
      body: Omit<Input<'POST /buckets/:name/data-sets/:id/replacement'>['body'], 'client_request_id'>,
      headers: Readonly<Record<string, string>>,
    ) => {
      try {
        const params = { name: bucket, id: String(dataSetId) }
        const sent = { params, body: { ...body, client_request_id: requestId.value } }
        return await call('POST /buckets/:name/data-sets/:id/replacement', sent, { headers })
      } catch (error) {
        const { code, message } = error as ApiError
        const next = afterRefusal(code)
        if (next === 'choice' || next === 'replica') {
          isOpen.value = false
          refused.value = { leadsTo: next, message }
          step.value = 'who'
          await renewCandidates()
        }
        if (next === 'new_request') requestId.value = newRequestId()
        throw error
      }
    },
  )
  return { action, refused }
}
