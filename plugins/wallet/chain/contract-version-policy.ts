export type VersionVerdict = { readonly isSupported: true } | { readonly isSupported: false; readonly reason: string }

/** Supported major version and lowest minor version; later minor versions only add. */
const supported = {
  fwss: { name: 'FilecoinWarmStorageService', major: 1, minorMin: 3 },
  pdpVerifier: { name: 'PDPVerifier', major: 3, minorMin: 4 },
} as const

/** Checks whether svc can decode the deployed contracts. @param versions `VERSION()` texts such as `1.3.0` */
export function judgeVersions(versions: Readonly<Record<keyof typeof supported, string>>): VersionVerdict {
  for (const contract of ['fwss', 'pdpVerifier'] as const) {
    const { name, major, minorMin } = supported[contract]
    const [, foundMajor, foundMinor] = /^v?(\d+)\.(\d+)(?:\.|$)/.exec(versions[contract]) ?? []
    if (Number(foundMajor) === major && Number(foundMinor) >= minorMin) continue
    return {
      isSupported: false,
      reason: `${name} is at version ${versions[contract]}; this release of svc needs ${major}.${minorMin} or a later ${major}.x.`,
    }
  }
  return { isSupported: true }
}
