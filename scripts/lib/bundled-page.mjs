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
  const gone = Object.keys(reasons).filter((name) => !names.includes(name))
  if (gone.length > 0)
    throw new Error(`${REASONS_FILE} names packages that are not bundled: ${gone.join(', ')}`)
  const rows = [
    ['package', 'version', 'licence', 'worker', 'page', 'other entries', 'what it is for'],
    ...components.map((component) => [
      `\`${fullName(component)}\``,
      component.version,
      licenseIn(component),
      ...[['worker'], ['page'], ['library', 'mcp']].map((builds) =>
        kilobytes(builds.reduce((sum, build) => sum + renderedBytes(component, build), 0)),
      ),
      reasons[fullName(component)],
    ]),
  ]
  return `# What is bundled

<!-- Written by \`npm run bundled\`; the last column is kept in etc/bundled.json. -->

Installing \`offstage\` installs no other package. These are the packages whose code is part of its files, with the
exact versions. The sizes are kB of source as the bundler takes it over, before it is minified and compressed, in
\`worker.js\`, in the files of the entry \`offstage\`, and in all other entries together.

${markdownTable(rows)}

The same list is in the package as a CycloneDX bill of materials, \`dist/sbom.cdx.json\`, for tools that look for
known vulnerabilities; the licences are in \`dist/THIRD-PARTY-LICENSES.txt\`. \`npm audit\` sees none of these
packages in your project: they are no dependencies there. In a checkout of this one it does.

## Why only the validator of fast-xml-parser

Its parser (\`preserveOrder\`, entities on) was tried on all 555 well-formed pieces of the ACTION corpus, in the place of the
80 lines in \`src/action/value-reader.ts\`. It reads 19 of them differently, whatever its options:

- \`\\r\\n\` in CDATA becomes \`\\n\`, so a file that is written loses its line ends.
- A parameter that is named \`constructor\` is an error, and \`toString\` becomes \`__toString\`.
- Numeric entities are decoded only together with HTML's, so \`&nbsp;\` isn't kept as it is written.

The worker would also grow by 19 kB (gzip), a tenth of its size.
`
}

function kilobytes(bytes) {
  return bytes === 0 ? '' : (bytes / 1000).toFixed(1)
}
