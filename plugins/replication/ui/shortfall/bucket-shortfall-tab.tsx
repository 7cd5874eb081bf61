import { component$ } from '@builder.io/qwik'
import { ShortfallList } from './shortfall-list.tsx'

export const BucketShortfallTab = component$<{ bucket: string }>(({ bucket }) => <ShortfallList bucket={bucket} />)
