/** Sizes a canvas to CSS pixels at the screen's density, and gives its pen back. */
export function fitCanvas(canvas: HTMLCanvasElement, pen: CanvasRenderingContext2D, width: number, height: number): CanvasRenderingContext2D {
  const density = window.devicePixelRatio || 1;
  const [wide, tall] = [Math.round(width * density), Math.round(height * density)];
  if (canvas.width !== wide || canvas.height !== tall) {
    canvas.width = wide;
    canvas.height = tall;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  pen.setTransform(density, 0, 0, density, 0, 0);
  return pen;
}
