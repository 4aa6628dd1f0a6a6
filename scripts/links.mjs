// node scripts/links.mjs [tarball]: checks the relative links and anchors of all Markdown documents, those in the
// repository or those in a packed tarball, where every link must lead to a file of the package. npm shows pictures from
// the repository, so the package has none.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { brokenLinks } from './lib/links.mjs'
import { inProject, root } from './lib/project.mjs'
import { run } from './lib/run.mjs'
import { filesIn, unpack } from './lib/unpack.mjs'

const [tarball] = process.argv.slice(2)
const folder = tarball ? await unpack(path.resolve(tarball)) : root
const documents = tarball ? filesIn(folder).map((file) => file.path) : await repositoryFiles()
const pages = documents.filter((file) => file.endsWith('.md'))
const isPicture = (problem) => /\.(?:gif|png|svg): there is no such file$/.test(problem)
const problems = brokenLinks(folder, pages).filter((problem) => !tarball || !isPicture(problem))
for (const problem of problems) console.error(problem)
console.log(
  `${pages.length} documents of the ${tarball ? 'package' : 'repository'}: ${problems.length} broken links`,
)
process.exit(problems.length === 0 ? 0 : 1)

/**
 * Markdown files that are tracked, or untracked but not ignored. Leaves out files that are deleted but still in the
 * index.
 */
async function repositoryFiles() {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md']
  const { code, stdout, output } = await run('git', args, { cwd: inProject(), quiet: true })
  if (code !== 0) throw new Error(`git ls-files failed:\n${output}`)
  return stdout.split('\0').filter((file) => file && existsSync(inProject(file)))
}
