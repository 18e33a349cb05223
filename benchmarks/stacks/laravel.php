<?php
// Renders resources/views/STEP.blade.php with the views of Laravel (Debian: php-illuminate-view), into page.html.

require 'Illuminate/View/autoload.php';

use Illuminate\Events\Dispatcher;
use Illuminate\Filesystem\Filesystem;
use Illuminate\View\Compilers\BladeCompiler;
use Illuminate\View\Engines\CompilerEngine;
use Illuminate\View\Engines\EngineResolver;
use Illuminate\View\Factory;
use Illuminate\View\FileViewFinder;

$cache = sys_get_temp_dir() . '/views-' . getmypid();
mkdir($cache);
$files = new Filesystem();
$engines = new EngineResolver();
$engines->register('blade', fn () => new CompilerEngine(new BladeCompiler($files, $cache)));
$views = new Factory($engines, new FileViewFinder($files, ['resources/views']), new Dispatcher());
$video = (object) [
    'title' => 'Knots & "hitches"',
    'summary' => 'Twelve knots for everyday use.',
    'image' => 'https://www.example.com/img/knots.jpg',
    'file' => 'https://www.example.com/media/knots.mp4',
    'published' => new DateTimeImmutable('2026-11-02 09:00:00+01:00'),
];
file_put_contents('page.html', $views->make($argv[1], ['video' => $video])->render());
