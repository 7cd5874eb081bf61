import { component$ } from '@builder.io/qwik'
import { Button, toast } from 'svc/ui-kit'

/** Shown beside every provider. */
export const HoldAction = component$<{ providerId: string; serviceUrl?: string | undefined }>(({ providerId }) => (
  <Button
    size="sm"
    icon="lock"
    onClick$={() =>
      toast({ tone: 'info', title: `Provider ${providerId}`, text: 'Data sets that must stay there are listed in legal_hold.data_sets.' })
    }
  >
    Legal hold
  </Button>
))
