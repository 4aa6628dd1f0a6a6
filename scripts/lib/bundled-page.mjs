import { markdownTable } from './markdown-table.mjs'
import { fullName, licenseIn, renderedBytes } from './sbom.mjs'

/** Why each package is bundled, written by hand. */
export const REASONS_FILE = 'etc/bundled.json'

/**
 * docs/dependencies.md, from the SBOM's components and the reasons by package. Throws when a package has no
 * reason, or a reason no package.
 */
export function bundledPage(components, reasons) {
  const names = components.map(fullName)
  const unexplained = names.filter((name) => !reasons[name])
  if (unexplained.length > 0)
    throw new Error(`${REASONS_FILE} doesn't say why these are bundled: ${unexplained.join(', ')}`)
  const outdated = Object.keys(reasons).filter((name) => !names.includes(name))
  if (outdated.length > 0)
    throw new Error(`${REASONS_FILE} names packages that are not bundled: ${outdated.join(', ')}`)
  const rows = [
    ['package', 'version', 'license', 'worker', 'page', 'other entries', 'what it is for'],
    ...components.map((component) => [
      `\`${fullName(component)}\``,
      component.version,
      licenseIn(component),
      ...[['worker'], ['page'], ['library', 'mcp', 'ajv']].map((builds) =>
        kilobytes(builds.reduce((sum, build) => sum + renderedBytes(component, build), 0)),
      ),
      reasons[fullName(component)],
    ]),
  ]
  return `# What is bundled

<!-- Written by \`npm run bundled\`; the last column is kept in etc/bundled.json. -->

Installing \`offstage\` installs no other package. Its files contain code of these packages, with these exact versions. Sizes are
kB of source before minification: in \`worker.js\`, in the entry \`offstage\`, and in all other entries together.

${markdownTable(rows)}

\`dist/sbom.cdx.json\` has the same list as a CycloneDX bill of materials. \`dist/THIRD-PARTY-LICENSES.txt\` has the
licenses. \`npm audit\` doesn't see these packages in your project. In a checkout of Offstage it does.

## Why only the validator of fast-xml-parser

We tried its parser on 555 well-formed pieces of the ACTION corpus. It reads 19 of them differently, with any options:

- It changes \`\\r\\n\` in CDATA to \`\\n\`.
- A parameter \`constructor\` is an error, and \`toString\` becomes \`__toString\`.
- It decodes numeric entities only together with HTML's, so \`&nbsp;\` changes.

The worker would grow by 19 kB (gzip).
`
}

function kilobytes(bytes) {
  return bytes === 0 ? '' : (bytes / 1000).toFixed(1)
}
