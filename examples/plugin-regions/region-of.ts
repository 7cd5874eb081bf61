/** @param entries such as `7=eu` */
export const regionOf = (entries: readonly string[], providerId: string): string | undefined =>
  entries.find((entry) => entry.startsWith(`${providerId}=`))?.slice(providerId.length + 1)
