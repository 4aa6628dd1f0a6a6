// npm run dependencies [-- --check]: writes docs/dependencies.md, the list of what is bundled in dist, from
// dist's SBOM and from etc/bundled.json, which says why each package is there. Run `npm run build` first.
import { fail } from './lib/install.mjs'
import { inProject, readJson } from './lib/project.mjs'
import { fullName, licenseIn, renderedBytes, SBOM_FILE } from './lib/sbom.mjs'
import { keepFile } from './lib/kept-file.mjs'
import { existsSync } from 'node:fs'

const REASONS = 'etc/bundled.json'

if (!existsSync(inProject(SBOM_FILE))) fail(`${SBOM_FILE} is missing: npm run build`)
const { components } = readJson(SBOM_FILE)
const reasons = readJson(REASONS)
const names = components.map(fullName)
const unexplained = names.filter((name) => !reasons[name])
if (unexplained.length > 0)
  fail(`${REASONS} doesn't say why these are bundled: ${unexplained.join(', ')}`)
const gone = Object.keys(reasons).filter((name) => !names.includes(name))
if (gone.length > 0) fail(`${REASONS} names packages that are not bundled: ${gone.join(', ')}`)

keepFile({ file: 'docs/dependencies.md', text: page(), command: 'npm run dependencies' })

function page() {
  const rows = [
    ['package', 'version', 'licence', 'worker', 'page', 'other entries', 'what it is for'],
    ...components.map((component) => [
      `\`${fullName(component)}\``,
      component.version,
      licenseIn(component),
      ...['worker', 'page', 'library'].map((build) => kilobytes(renderedBytes(component, build))),
      reasons[fullName(component)],
    ]),
  ]
  return `# What is bundled

<!-- Written by \`npm run dependencies\`; the last column is kept in etc/bundled.json. -->

Installing \`offstage\` installs no other package. These are the packages whose code is part of its files, with the
exact versions. The sizes are kB of source as the bundler takes it over, before it is minified and compressed, in
\`worker.js\`, in the files of the entry \`offstage\`, and in all other entries together.

${table(rows)}

The same list is in the package as a CycloneDX bill of materials, \`dist/sbom.cdx.json\`, for tools that look for
known vulnerabilities; the licences are in \`dist/THIRD-PARTY-LICENSES.txt\`. \`npm audit\` sees none of these
packages in your project: they are no dependencies there. In a checkout of this one it does.
`
}

function kilobytes(bytes) {
  return bytes === 0 ? '' : (bytes / 1000).toFixed(1)
}

/** As the formatter writes tables. */
function table([head, ...rows]) {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column].length)),
  )
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`
  return [
    line(head),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...rows.map(line),
  ].join('\n')
}
