/** The built worker file as a string. Provided by the build. */
declare module 'virtual:offstage-worker-source' {
  const source: string
  export default source
}
