import path from 'node:path'
import { compare } from './bundled-packages.mjs'
import { root } from './project.mjs'

/** Where the SBOM lies in the package. */
export const SBOM_FILE = 'dist/sbom.cdx.json'

const BYTES = 'offstage:renderedBytes:'

/**
 * A CycloneDX 1.6 bill of materials of the package: itself, and the packages whose code is bundled in
 * `dist`. Without times and serial numbers: the same inputs give the same bytes.
 *
 * @param {object} product the project's package.json
 * @param {ReturnType<typeof import('./bundled-packages.mjs').bundledPackages>} packages
 * @param {object} lock the project's package-lock.json
 */
export function sbomOf(product, packages, lock) {
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: { ...identity(product), description: product.description },
    },
    components: packages.map(({ folder, manifest, bytes }) => ({
      ...identity(manifest),
      scope: 'required',
      hashes: [sha512(lock, folder)],
      properties: Object.entries(bytes)
        .map(([build, count]) => ({ name: `${BYTES}${build}`, value: String(count) }))
        .toSorted((one, other) => compare(one.name, other.name)),
    })),
    dependencies: dependencyGraph(product, packages),
  }
}

/** Bytes that the bundler rendered of a component in one of the builds. */
export function renderedBytes(component, build) {
  const found = component.properties.find(({ name }) => name === `${BYTES}${build}`)
  return Number(found?.value ?? 0)
}

export function licenseIn(component) {
  const [{ license, expression }] = component.licenses
  return expression ?? license.id
}

export function fullName({ group, name }) {
  return group ? `${group}/${name}` : name
}

function identity({ name, version, license }) {
  const [, group, unscopedName] = /^(?:(@[^/]+)\/)?(.+)$/.exec(name)
  const purl = purlOf(name, version)
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group && { group }),
    name: unscopedName,
    version,
    licenses: [
      / (?:OR|AND|WITH) /.test(license) ? { expression: license } : { license: { id: license } },
    ],
    purl,
  }
}

function purlOf(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

/** The hash of the package's tarball, as the lockfile has it. */
function sha512(lock, folder) {
  const { integrity } = lock.packages[path.relative(root, folder).replaceAll('\\', '/')]
  const digest = /^sha512-(.+)$/.exec(integrity)[1]
  return { alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }
}

/** Dependencies between the bundled packages. */
function dependencyGraph(product, packages) {
  const direct = { ...product.dependencies, ...product.devDependencies }
  return [
    { manifest: product, needs: direct },
    ...packages.map(({ manifest }) => ({ manifest, needs: manifest.dependencies ?? {} })),
  ].map(({ manifest, needs }) => ({
    ref: purlOf(manifest.name, manifest.version),
    dependsOn: packages
      .filter((other) => other.manifest.name in needs)
      .map((other) => purlOf(other.manifest.name, other.manifest.version)),
  }))
}
