// Requirements for a release. Each function returns the list of problems that it finds.

/** Stands for the owner of the repository until `npm run release:repository` has set it. No account can have it. */
export const PLACEHOLDER = 'SET_AT_RELEASE'

const KILOBYTE = 1000
const TARBALL_LIMIT = 1000 * KILOBYTE
const FILE_LIMIT = 450 * KILOBYTE
const ALLOWED =
  /^(?:dist\/.+\.(?:js|d\.ts|json|txt|css)|docs\/.+\.md|[A-Z_]+\.md|llms(?:-full)?\.txt|LICENSE|(?:[\w.-]+\/)*package\.json)$/
const REQUIRED_FILES = [
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'SKILL.md',
  'llms.txt',
  'llms-full.txt',
  'dist/THIRD-PARTY-LICENSES.txt',
  'dist/sbom.cdx.json',
]

/** The fields of package.json that name the repository, `owner/name`. npm resolves relative links by them. */
export function repositoryFields(repository) {
  const address = `https://github.com/${repository}`
  return {
    homepage: `${address}#readme`,
    bugs: { url: `${address}/issues` },
    repository: { type: 'git', url: `git+${address}.git` },
  }
}

/** Where the owner of a repository is supported, unless another address is given. */
export function fundingOf(repository) {
  return `https://github.com/sponsors/${repository.split('/')[0]}`
}

/** `hosted` is the repository that a release is made in, when that is known: provenance names it. */
export function repositoryProblems(manifest, hosted) {
  const { url } = manifest.repository
  const repository = /^git\+https:\/\/github\.com\/([^/]+\/[^/]+)\.git$/.exec(url)?.[1]
  if (!repository || url.includes(PLACEHOLDER))
    return ["The repository's address is not set: npm run release:repository -- owner/name"]
  const expected = repositoryFields(repository)
  const mismatches = Object.keys(expected).filter(
    (field) => JSON.stringify(manifest[field]) !== JSON.stringify(expected[field]),
  )
  const problems = mismatches.map(
    (field) => `${field} in package.json does not belong to ${repository}.`,
  )
  if (manifest.funding?.includes(PLACEHOLDER)) problems.push('funding in package.json is not set.')
  if (hosted && hosted !== repository)
    problems.push(`package.json names ${repository}, and this is ${hosted}.`)
  return problems
}

/** `tag` is the tag that a release is made of, when there is one. */
export function versionProblems({ version, locked, changelog, tag }) {
  const problems = []
  if (locked !== version)
    problems.push(`package-lock.json says ${locked}, package.json ${version}.`)
  if (tag && tag !== `v${version}`) problems.push(`The tag is ${tag}, the version ${version}.`)
  const sections = [...changelog.matchAll(/^## \[(.+?)\](.*)$([^]*?)(?=^## \[|$(?![^]))/gm)]
  const [unreleased, newest] = sections.map(([, name, date, body]) => ({
    name,
    date,
    body: body.trim(),
  }))
  if (unreleased?.name !== 'Unreleased')
    problems.push('CHANGELOG.md has no [Unreleased] at its head.')
  else if (unreleased.body !== '')
    problems.push(`What CHANGELOG.md lists as [Unreleased] belongs under [${version}].`)
  if (newest?.name !== version)
    problems.push(`CHANGELOG.md has no [${version}] after [Unreleased].`)
  else if (!/^ - \d{4}-\d\d-\d\d$/.test(newest.date))
    problems.push(`[${version}] in CHANGELOG.md has no date.`)
  return problems
}

/** `files` are those of the tarball, each with `path` and `size`. */
export function tarballProblems({ size, files, exports }) {
  const present = new Set(files.map((file) => file.path))
  const published = Object.values(exports)
    .flatMap((target) => (typeof target === 'string' ? [target] : Object.values(target)))
    .map((file) => file.replace(/^\.\//, ''))
  const missing = [...new Set([...REQUIRED_FILES, ...published])].filter(
    (file) => !present.has(file),
  )
  const foreign = [...present].filter((file) => !ALLOWED.test(file))
  const large = files.filter((file) => file.size > FILE_LIMIT).map((file) => file.path)
  return [
    ...(size > TARBALL_LIMIT
      ? [`The tarball has ${size} bytes; the limit is ${TARBALL_LIMIT}.`]
      : []),
    ...missing.map((file) => `${file} is missing.`),
    ...foreign.map((file) => `${file} does not belong into the package.`),
    ...large.map((file) => `${file} has more than ${FILE_LIMIT} bytes.`),
  ]
}
