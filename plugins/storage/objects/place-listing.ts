import { compareKeys, groupOf, successorOf } from '../catalog/versions/key-order-policy.ts'

/** Rows in the order of their keys, several of a key in an order of their own. A place is between two rows. */
export interface PlaceOrder<Row, Item, Place> {
  /** Rows after the place with keys below `high`. */
  rows(after: Place, high: string | undefined, limit: number): Promise<readonly Row[]>
  /** The place before all rows of a key. */
  before(key: string): Place
  after(row: Row): Place
  /** The place of the marker with which the request goes on. */
  start(): Place | Promise<Place>
  itemOf(row: Row): Item
}

interface PlaceRequest {
  readonly prefix?: string | undefined
  readonly delimiter?: string | undefined
  readonly limit: number
  readonly marker?: string | undefined
}

interface PlacePage<Row, Item> {
  readonly items: readonly Item[]
  readonly commonPrefixes: readonly string[]
  readonly isTruncated: boolean
  /** The last row or common prefix of the page. */
  readonly last: Row | string | undefined
}

/** One page of rows. One query per common prefix, and one per page of rows without. */
export async function listPlaces<Row extends { readonly key: string }, Item, Place extends object>(
  order: PlaceOrder<Row, Item, Place>,
  { prefix = '', delimiter = '', limit, marker = '' }: PlaceRequest,
): Promise<PlacePage<Row, Item>> {
  const high = successorOf(prefix)
  const groups = groupsOf(order, prefix, delimiter)
  const items: Item[] = []
  const commonPrefixes: string[] = []
  let last: Row | string | undefined
  const isBeforeAll = marker === '' || compareKeys(marker, prefix) < 0
  let after = isBeforeAll ? order.before(prefix) : await groups.afterMarker(marker)
  while (after !== undefined) {
    // One more than fits shows whether the page is the last.
    const rowLimit = limit + 1 - items.length - commonPrefixes.length
    const rows = await order.rows(after, high, rowLimit)
    after = rows.length < rowLimit ? undefined : order.after(rows.at(-1) as Row)
    for (const row of rows) {
      if (items.length + commonPrefixes.length === limit) return { items, commonPrefixes, isTruncated: true, last }
      const group = groups.of(row.key)
      last = group ?? row
      if (group === undefined) items.push(order.itemOf(row))
      else {
        commonPrefixes.push(group)
        after = groups.after(group)
        break
      }
    }
  }
  return { items, commonPrefixes, isTruncated: false, last }
}

function groupsOf<Row, Item, Place>(order: PlaceOrder<Row, Item, Place>, prefix: string, delimiter: string) {
  const of = (key: string) => (delimiter === '' || !key.startsWith(prefix) ? undefined : groupOf(key, prefix, delimiter))
  const after = (group: string): Place | undefined => {
    const next = successorOf(group)
    return next === undefined ? undefined : order.before(next)
  }
  const afterMarker = (marker: string) => {
    const group = of(marker)
    return group === undefined ? order.start() : after(group)
  }
  return { of, after, afterMarker }
}
