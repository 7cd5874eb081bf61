import { component$ } from '@builder.io/qwik'

export const Logo = component$<{ size: number }>(({ size }) => (
  <img src="/favicon.svg" width={size} height={size} alt="" class="shrink-0" />
))
