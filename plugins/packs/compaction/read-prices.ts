import { costPolicy, type Funds, type PriceList } from '#plugins/wallet'

/** The price list of the chain; undefined while it cannot be read. */
export async function readPrices(funds: Pick<Funds, 'prices'> | undefined): Promise<PriceList | undefined> {
  const named = await funds?.prices()
  if (!named) return undefined
  return (await costPolicy()).parsePrices(named.list)
}
