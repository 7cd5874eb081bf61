/** Whether the deployed contracts speak the versions that this product decodes. */

export type VersionVerdict = { readonly isSupported: true } | { readonly isSupported: false; readonly reason: string }

/** Major version and the first minor version of it that we read correctly; later minors only add. */
const supported = {
  fwss: { name: 'FilecoinWarmStorageService', major: 1, minorMin: 3 },
  pdpVerifier: { name: 'PDPVerifier', major: 3, minorMin: 4 },
} as const

/** @param versions the `VERSION()` texts, such as `1.3.0` */
export function judgeVersions(versions: Readonly<Record<keyof typeof supported, string>>): VersionVerdict {
  for (const contract of ['fwss', 'pdpVerifier'] as const) {
    const { name, major, minorMin } = supported[contract]
    const [, foundMajor, foundMinor] = /^v?(\d+)\.(\d+)(?:\.|$)/.exec(versions[contract]) ?? []
    if (Number(foundMajor) === major && Number(foundMinor) >= minorMin) continue
    return {
      isSupported: false,
      reason: `${name} is at version ${versions[contract]}; this release needs ${major}.${minorMin} or a later ${major}.x.`,
    }
  }
  return { isSupported: true }
}
