/** Node warns of a signal that collects listeners, on stderr, where nobody looks: here it is a failure. */
const guard = Symbol.for('offstage.test.listenerLeaks')

if (!(guard in globalThis)) {
  Object.assign(globalThis, { [guard]: true })
  process.on('warning', (warning) => {
    if (warning.name === 'MaxListenersExceededWarning') throw warning
  })
}
