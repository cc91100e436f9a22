// The errors of the package. Their names are those of the package for Python.

/** A capture or an argument cannot be used. The message is the sentence that the command line prints. */
export class RooflightError extends Error {
  get name() {
    return this.constructor.name;
  }
}

/** A path does not exist. Only Node.js reads paths. */
export class CaptureNotFoundError extends RooflightError {}

/** No file could be read. */
export class UnreadableCaptureError extends RooflightError {}

/** An option does not accept the value. */
export class ArgumentError extends RooflightError {}
