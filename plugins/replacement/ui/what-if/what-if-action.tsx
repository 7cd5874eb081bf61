import { component$ } from '@builder.io/qwik'
import { hrefOf, LinkButton } from '@svc/ui-kit'

/** Leads from a provider to what would be at risk without it. */
export const WhatIfAction = component$<{ providerId: string }>(({ providerId }) => (
  <LinkButton icon="circle-question-mark" href={hrefOf('/providers/:id/what-if', { id: providerId })}>
    What if it fails?
  </LinkButton>
))
