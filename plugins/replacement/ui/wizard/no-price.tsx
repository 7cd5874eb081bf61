/** Stands in place of a price where no plugin knows prices. */
export const NoPrice = () => <p class="text-sm text-muted">The plugin costs is disabled, so no price is shown.</p>
