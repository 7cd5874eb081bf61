import type { ContributedItem } from '#kernel/system'

/** A contributed item with the services that it uses. */
export type Attached<C> = Pick<ContributedItem<C>, 'item' | 'services'>
