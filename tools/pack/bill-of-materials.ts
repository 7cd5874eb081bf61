import type { BundledPackage } from './bundled-packages.ts'
import { packageName } from './package-shape.ts'

/** Begins a hash in a lockfile. */
const integrityPrefix = 'sha512-'

const purl = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** CycloneDX 1.6: what the package contains, and the packages that npm installs beside it. */
export function renderBillOfMaterials(
  version: string,
  bundled: readonly BundledPackage[],
  required: Readonly<Record<string, string>>,
): string {
  const self = purl(packageName, version)
  const components = bundled.map(({ name, version: of, licence, integrity }) => ({
    type: 'library',
    'bom-ref': purl(name, of),
    ...splitScope(name),
    version: of,
    purl: purl(name, of),
    licenses: [/\s/.test(licence) ? { expression: licence } : { license: { name: licence } }],
    ...(integrity?.startsWith(integrityPrefix) && { hashes: [{ alg: 'SHA-512', content: toHex(integrity) }] }),
  }))
  const beside = Object.entries(required).map(([name, of]) => ({
    type: 'library',
    'bom-ref': purl(name, of),
    ...splitScope(name),
    version: of,
    purl: purl(name, of),
    scope: 'required',
  }))
  const all = [...components, ...beside]
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': self, ...splitScope(packageName), version, purl: self } },
    components: all,
    dependencies: [{ ref: self, dependsOn: all.map((component) => component['bom-ref']) }],
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}

function splitScope(name: string): { readonly group?: string; readonly name: string } {
  const [first = '', second] = name.split('/')
  return second === undefined ? { name } : { group: first, name: second }
}

const toHex = (integrity: string): string => Buffer.from(integrity.slice(integrityPrefix.length), 'base64').toString('hex')
